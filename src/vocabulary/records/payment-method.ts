import { GatewayError } from '../../errors/gateway-error.ts'
import { flag, integer, text } from '../field.ts'
import { shape, type Value } from '../shape.ts'
import { record, recordId } from './record.ts'

/** A payment method that operators describe to customers. Turnpike does not process payments. */
export const PaymentMethod = shape('PaymentMethod', {
  id: recordId('bank-transfer'),
  name: text().example('Bank transfer'),
  text: text(2_000)
    .note('What the customer does, as plain text.')
    .example('Transfer the amount to DE00 1234 and put your account id in the reference.'),
  link: text(2_000)
    .takes('an https address of at most 2000 characters, or null')
    .refine(requireHttps)
    .nullable()
    .default(null)
    .note('Where the customer pays; an https address.')
    .example('https://pay.example.com'),
  position: integer().default(0).note('Lower positions are listed first.').example(10),
  enabled: flag().default(true).note('Whether customers see it.'),
})
export type PaymentMethod = Value<typeof PaymentMethod>

export const PaymentMethods = record('payment_methods', PaymentMethod, {
  about: 'Ways to pay that customers find on the billing page of the console.',
  order: ['position'],
})

function requireHttps(address: string, param: string): string {
  const url = URL.parse(address)
  if (url?.protocol !== 'https:') {
    throw new GatewayError('invalid_request', `${param} must be an https address.`, { param })
  }
  if (url.username !== '' || url.password !== '') {
    throw new GatewayError('invalid_request', `${param} must not contain a user or a password.`, { param })
  }
  return address
}
