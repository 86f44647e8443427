import type { SupplierFailure } from '../errors/supplier-failure.ts'
import { isOwnWords } from './supplier-error.ts'

const NAME = '[\\w.\\[\\]]{1,80}'

/** Messages with which suppliers reject a parameter; the name is the first group. */
const REFUSALS: readonly RegExp[] = [
  `\\bunknown field: parameter ['"\`](${NAME})`,
  `\\bunsupported (?:parameter|value|argument|field)s?:? ['"\`]?(${NAME})`,
  `\\b(?:unrecognized|unknown|unexpected) (?:request )?(?:argument|parameter|field|keyword)s?(?: supplied)?:? ['"\`]?(${NAME})`,
  `^(${NAME}): extra inputs are not permitted`,
  `\\('body', '(${NAME})'\\), 'msg': 'extra inputs are not permitted`,
  `\\bextra inputs are not permitted, field: ['"\`]?(${NAME})`,
  `\\bextraneous key \\[(${NAME})\\] is not permitted`,
  `\\bproperty ['"\`](${NAME})['"\`] is unsupported`,
  `\\bargument not supported on this model: ['"\`]?(${NAME})`,
  `\\bdoes not support (?:the )?(?:parameter|argument|option) ['"\`]?(${NAME})`,
  // Suppliers reject both at once; the temperature matters more to clients.
  `['"\`](?:temperature)['"\`] and ['"\`](${NAME})['"\`] cannot both be specified`,
  `['"\`](${NAME})['"\`] (?:parameter |argument |field )?(?:is|are) (?:deprecated|unsupported|not (?:supported|permitted|allowed|available|recognized))`,
  `\\b(?:parameter|argument|field|option) (${NAME}) (?:is|are) (?:deprecated|unsupported|not (?:supported|permitted|allowed|available|recognized))`,
  `^(${NAME}) is not supported (?:with|by|for|on) this model`,
  `\\binvalid (${NAME}): only [^ ]{1,20} is allowed`,
].map((pattern) => new RegExp(pattern, 'i'))

const UNKNOWN_NAME = new RegExp(`\\bunknown name ['"](${NAME})['"](?: at ['"](${NAME})['"])?`, 'i')

const REFUSAL_CODES: ReadonlySet<string> = new Set([
  'unsupported_parameter',
  'unsupported_value',
  'unknown_parameter',
  'unrecognized_parameter',
])

export interface Complaint {
  readonly message: string
  readonly codes: readonly string[]
  readonly param: string | null
}

/** The parameter would be accepted alone or with another value. */
const TOGETHER = /\bcannot both\b|\bwhen\b|\bunless\b|\bonly with\b|\btogether\b|\bcombin/i
const ABOUT_VALUE = /\b(?:unsupported|invalid) value\b|\bonly [^ ]{1,20} is allowed\b|\bsupported values\b/i

type Refused = Required<Pick<SupplierFailure, 'refusedParam' | 'refusedScope'>>

/** The path of the parameter that a supplier rejects; null when the message is about something else. */
export function findRefusedParameter(complaint: Complaint): Refused | null {
  const { message, codes, param } = complaint
  if (param !== null && codes.some((code) => REFUSAL_CODES.has(code))) {
    return { refusedParam: param, refusedScope: scopeOf(complaint) }
  }
  const unknown = UNKNOWN_NAME.exec(message)
  if (unknown !== null) return refusedIn(unknown, complaint)
  for (const refusal of REFUSALS) {
    const match = refusal.exec(message)
    if (match !== null) return refusedIn(match, complaint)
  }
  return null
}

function refusedIn(match: RegExpExecArray, complaint: Complaint): Refused {
  const [, name = '', parent] = match
  const refusedParam = parent === undefined ? name.replace(/\.$/, '') : `${parent}.${name}`
  // A possible quotation proves nothing about the model.
  const isQuoted = !isOwnWords(complaint.message.slice(0, match.index))
  const refusedScope = scopeOf(complaint)
  return { refusedParam, refusedScope: isQuoted && refusedScope === 'parameter' ? 'value' : refusedScope }
}

function scopeOf({ message, codes }: Complaint): Refused['refusedScope'] {
  if (TOGETHER.test(message)) return 'request'
  return codes.includes('unsupported_value') || ABOUT_VALUE.test(message) ? 'value' : 'parameter'
}
