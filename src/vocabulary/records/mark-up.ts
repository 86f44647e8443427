import { choice, percent, text } from '../field.ts'
import { shape, type Value } from '../shape.ts'
import { record, recordId } from './record.ts'

/** Whose requests a mark-up is for, from the one that comes first. */
const MARK_UP_TARGETS = ['account', 'tier', 'model'] as const

/** A percentage on top of prices, for one account, one tier or one model. */
export const MarkUp = shape('MarkUp', {
  id: recordId('enterprise'),
  appliesTo: choice(MARK_UP_TARGETS)
    .note('An account has its own mark-up, else that of its tier, else that of the model; never two of them.')
    .example('tier'),
  name: text().note('The id of the account or model, or the name of the tier.').example('Enterprise'),
  basisPoints: percent()
    .as('percent')
    .note('Added to what a request costs. A negative one is a discount, 0 excludes the others.')
    .example(-10),
})
export type MarkUp = Value<typeof MarkUp>

export const MarkUps = record('mark_ups', MarkUp, {
  about:
    'Percentages that are added to the price of routes. Each account, tier and model has at most one; a change is in force from the next request on.',
  noun: 'mark-up',
  order: ['appliesTo', 'name'],
  isConfiguration: true,
})
