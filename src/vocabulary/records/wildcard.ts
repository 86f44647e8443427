import { GatewayError } from '../../errors/gateway-error.ts'
import { choices, flag, integer, text } from '../field.ts'
import { Price } from '../price.ts'
import { shape, type Value } from '../shape.ts'
import { MODEL_KINDS } from '../words.ts'
import { record, recordId } from './record.ts'

/** Every model of a supplier whose name begins like this, without a record for each. */
export const Wildcard = shape('Wildcard', {
  id: recordId('acme-models'),
  pattern: text()
    .takes('the beginning of model names, followed by `*`')
    .refine(requirePrefix)
    .note('The longest that matches applies.')
    .example('acme/*'),
  supplierId: text().as('supplier').note('Who serves these models.').example('acme'),
  upstreamModel: text()
    .refine(requireStar)
    .nullable()
    .default(null)
    .note(
      'The name at the supplier, where `*` is what the `*` of the pattern stood for; null for the same name.',
    )
    .example('*'),
  kinds: choices(MODEL_KINDS)
    .default(['text'])
    .note('What models do that the built-in catalog does not know.')
    .example(['text']),
  price: Price.field
    .takes('a price with input and output')
    .nullable()
    .default(null)
    .note('For models whose price the catalog does not know. Without it they are refused.')
    .example(null),
  priority: integer({ max: 1_000_000 })
    .default(1)
    .note('Among wildcards with the same pattern, lower is tried first.')
    .example(1),
  enabled: flag().default(true),
})
export type Wildcard = Value<typeof Wildcard>

export const Wildcards = record('wildcards', Wildcard, {
  about:
    'Names that lead to a supplier without a record for each model. They are for names that neither an alias nor a model has.',
  order: ['pattern', 'priority'],
  isConfiguration: true,
})

function requirePrefix(pattern: string, param: string): string {
  if (pattern.indexOf('*') === pattern.length - 1) return pattern
  const message = `${param} must be the beginning of model names, followed by one *.`
  throw new GatewayError('invalid_request', message, { param })
}

function requireStar(name: string, param: string): string {
  if (name.split('*').length === 2) return name
  const message = `${param} must contain one *, which stands for the rest of the name.`
  throw new GatewayError('invalid_request', message, { param })
}
