import { GatewayError } from '../../errors/gateway-error.ts'
import { list, text } from '../field.ts'
import { shape, type Value } from '../shape.ts'
import { record, recordId } from './record.ts'

/** More would only make the client wait longer for the same error. */
const MAX_MODELS = 5

/** Another name for a model, or for several that are tried in order. */
export const Alias = shape('Alias', {
  id: recordId('best'),
  name: text()
    .refine(refuseStar)
    .note('The name that clients ask for. It comes before a model of the same name.')
    .example('best'),
  models: list(text(), { min: 1, max: MAX_MODELS, isSet: true, takes: `1 to ${MAX_MODELS} model ids` })
    .note(
      'The models, in the order in which they are tried. Each answer is priced by the model that gave it.',
    )
    .example(['gpt-5']),
  accountId: text()
    .nullable()
    .default(null)
    .note('Only for this account, for which it comes before the general alias; null for all.')
    .example(null),
})
export type Alias = Value<typeof Alias>

export const Aliases = record('aliases', Alias, {
  about:
    'Other names for models. An alias may lead to several models, which are tried in order while nothing was sent to the client.',
  order: ['name'],
  isConfiguration: true,
})

function refuseStar(name: string, param: string): string {
  if (!name.includes('*')) return name
  const message = `${param} must not contain *; a wildcard leads to a supplier.`
  throw new GatewayError('invalid_request', message, { param })
}
