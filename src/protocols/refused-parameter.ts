const NAME = '[\\w.\\[\\]]{1,80}'

/** Ways in which suppliers say that they do not take a parameter; the name is the first group. */
const REFUSALS: readonly RegExp[] = [
  `\\bunsupported (?:parameter|value|argument|field)s?:? ['"\`]?(${NAME})`,
  `\\b(?:unrecognized|unknown|unexpected) (?:request )?(?:argument|parameter|field|keyword)s?(?: supplied)?:? ['"\`]?(${NAME})`,
  `^(${NAME}): extra inputs are not permitted`,
  `\\('body', '(${NAME})'\\), 'msg': 'extra inputs are not permitted`,
  `\\bextra inputs are not permitted, field: ['"\`]?(${NAME})`,
  `\\bextraneous key \\[(${NAME})\\] is not permitted`,
  `\\bproperty ['"\`](${NAME})['"\`] is unsupported`,
  `\\bargument not supported on this model: ['"\`]?(${NAME})`,
  `\\bdoes not support (?:the )?(?:parameter|argument|option) ['"\`]?(${NAME})`,
  // Both at once are refused; the temperature says more about what the client wants.
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

/** The parameter that a supplier says it does not take, as a path; null when it complains of something else. */
export function findRefusedParameter({ message, codes, param }: Complaint): string | null {
  if (param !== null && codes.some((code) => REFUSAL_CODES.has(code))) return param
  const unknown = UNKNOWN_NAME.exec(message)
  if (unknown !== null) return unknown[2] === undefined ? (unknown[1] ?? null) : `${unknown[2]}.${unknown[1]}`
  for (const refusal of REFUSALS) {
    const name = refusal.exec(message)?.[1]
    if (name !== undefined) return name.replace(/\.$/, '')
  }
  return null
}
