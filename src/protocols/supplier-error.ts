import type { FailureKind, SupplierFailure } from '../errors/supplier-failure.ts'

const MAX_MESSAGE_CHARACTERS = 1000
/** Text beyond this cannot reach the trimmed message, so it is not searched. */
const MAX_EXAMINED_CHARACTERS = 4000

const SECRETS: readonly RegExp[] = [
  /\bBearer\s+[^\s"',;]+/gi,
  // Suppliers quote keys in full or with stars in the middle.
  /\bkey[-_](?=[-_A-Za-z/+]*[\d*])[-_*A-Za-z0-9/+]{8,}/g,
  /\b(?:sk|pk|rk|gsk|xai|pplx|nvapi|hf|csk|fw|r8|tgp)[-_][-_*A-Za-z0-9/+]{8,}/g,
  /\b(?:AIza|AKIA|ASIA|ya29\.|eyJ)[-_.*A-Za-z0-9/+]{8,}/g,
  // Account ids contain a digit or a capital; `user_location` does not.
  /\b(?:org|proj|acct|user|project|organization)[-_](?=[a-z]*[A-Z0-9])[A-Za-z0-9]{8,}/g,
  /(?<=[?&](?:key|api_key|token)=)[^\s&"']+/gi,
  /\b(?:req|sess)[-_][A-Za-z0-9]{8,}/g,
  /(?<=\brequest[ _-]?id[:=]?\s{0,3})[\w-]{8,}/gi,
  // Teams, organisations and traces of several vendors.
  /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi,
  /(?<=\b(?:team|api key id): ?)[\w-]+/gi,
  /\barn:aws[-\w]*:[^\s"',;]+/g,
  /\b[\w.+-]{1,64}@[\w-]{1,64}\.iam\.gserviceaccount\.com\b/gi,
  /(?<=\bprojects\/)[\w:.-]+/g,
  /(?<=\bprojects?(?: number)?[ :#]{1,3})\d{6,}\b/gi,
  /(?<=\b(?:account|subscription)(?: id)?[ :#]{1,3})\d{6,}\b/gi,
]

/** Makes a supplier's message safe to store and show: no credentials or account ids, one line, at most 1,000 characters. */
export function cleanSupplierMessage(message: string): string {
  let cleaned = message.slice(0, MAX_EXAMINED_CHARACTERS)
  for (const secret of SECRETS) cleaned = cleaned.replace(secret, '[removed]')
  const oneLine = cleaned.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  // The cut may split a surrogate pair.
  return oneLine.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()
}

// A quotation of the request starts with a quote, a colon or a bracket.
const QUOTATION = /['"`:=([{<]/

/** The message up to the point where it may quote the request. */
export function ownWordsOf(message: string): string {
  return message.split(QUOTATION, 1)[0] ?? ''
}

export function isOwnWords(text: string): boolean {
  return !QUOTATION.test(text)
}

const MAX_PARAM_CHARACTERS = 100

/** A field name from a supplier, safe to show. */
export function cleanParam(param: string | null): string | null {
  return param === null ? null : cleanSupplierMessage(param).slice(0, MAX_PARAM_CHARACTERS)
}

/** A kind of failure. `suspected` is a rejected credential for which only the message gives evidence. */
export type Verdict = FailureKind | 'suspected'

export function verdictFields(verdict: Verdict): Pick<SupplierFailure, 'kind' | 'isSuspected'> {
  return verdict === 'suspected' ? { kind: 'credential', isSuspected: true } : { kind: verdict }
}

/** What a status means in every format. Statuses about the gateway's configuration are not the client's fault. */
export function failureKindOf(status: number): Verdict {
  switch (status) {
    case 400:
    case 404:
    case 413:
    case 422:
      return 'input'
    case 401:
      return 'credential'
    // Also sent for a single request whose output could cost more than the remaining balance.
    case 402:
      return 'suspected'
    case 403:
      return 'denied'
    case 408:
    case 504:
    case 524:
      return 'timeout'
    case 429:
      return 'rate-limited'
    case 498:
    case 503:
    case 529:
      return 'overloaded'
    default:
      return 'server'
  }
}

const TOO_LONG: readonly RegExp[] = [
  /context[ _-]?(?:length|window|size)/i,
  /(?:prompt|input|request) (?:is|was) too long/i,
  /too many (?:input |prompt )?tokens/i,
  /reduce the length/i,
  /exceeds? the (?:model's )?(?:maximum|max|limit)[^.]{0,40}tokens/i,
  /maximum (?:input |prompt )?tokens? (?:limit|allowed)/i,
  /maximum prompt length/i,
  /exceed(?:s|ed)? (?:the )?(?:model|context) (?:token )?limit/i,
  /tokens \+ `?max_new_tokens`? must be <=/i,
]

/** Whether a message says that the prompt is too long for the model. */
export function saysPromptTooLong(message: string): boolean {
  const examined = message.slice(0, MAX_EXAMINED_CHARACTERS)
  return TOO_LONG.some((pattern) => pattern.test(examined))
}

const CONTENT_BLAMED: readonly RegExp[] = [
  /\bviolat\w+ (?:\w+ ){0,4}(?:guidelines|polic(?:y|ies)|terms)\b/i,
  /\b(?:blocked|flagged|rejected|refused|filtered) by (?:\w+ ){0,4}(?:moderation|filters?|safety|guardrails?)\b/i,
  /\bcontent (?:policy|filter|moderation)\b/i,
]

/** Whether a message blames the content of the request, as some suppliers do with a 403. */
export function blamesContent(message: string): boolean {
  const examined = message.slice(0, MAX_EXAMINED_CHARACTERS)
  return CONTENT_BLAMED.some((pattern) => pattern.test(examined))
}

const RESOURCE_BLAMED: readonly RegExp[] = [
  /\bpermission to access the (?:file|cached ?content)\b/i,
  /\bcached ?contents? not found\b/i,
  /\b(?:files?|cached ?contents?)\b[^.]{0,120}\bmay not exist\b/i,
  /\bthe file\b[^.]{0,120}\bnot in an active state\b/i,
]

/** Classifies a denial that names no credential: it may concern the input, the gateway's account, or be unclear. */
export function judgeDenial(message: string): Verdict {
  if (saysPromptTooLong(message)) return 'context-length'
  const examined = message.slice(0, MAX_EXAMINED_CHARACTERS)
  if (blamesContent(message) || RESOURCE_BLAMED.some((pattern) => pattern.test(examined))) return 'input'
  return soundsLikeAccount(message) ? 'suspected' : 'denied'
}

const ACCOUNT_BLAMED: readonly RegExp[] = [
  // Only at the beginning; later in a sentence it means something else.
  /^[\w ]{0,30}\bapi key\b/i,
  /\bcredit balance\b|\binsufficient (?:balance|credits|quota|funds)\b/i,
  /^your (?:newly created )?teams?\b|\bkey limit exceeded\b/i,
  /\bthis organi[sz]ation has been disabled\b|\breached your specified api usage limits\b/i,
  /\borgani[sz]ation must be verified to (?:stream|use)\b/i,
  /\buser location is not supported\b|\bnot available in your country\b/i,
  /\bsecurity token included in the request is (?:invalid|expired)\b/i,
]

// Such messages start with a field name, which the client may have chosen.
const ABOUT_FIELD = /\b(?:extra (?:inputs|fields)|not permitted|unexpected keyword|unrecognized|unknown)\b/i

/** Whether a message seems to concern the gateway's key, account or balance. Only a suspicion: a client could fake it. */
export function soundsLikeAccount(message: string): boolean {
  if (ABOUT_FIELD.test(message.slice(0, MAX_EXAMINED_CHARACTERS))) return false
  const said = ownWordsOf(message)
  return ACCOUNT_BLAMED.some((pattern) => pattern.test(said))
}

const PROOF_REFUSED = /\bsignature\b|thought_signature|encrypted[ _]content/i

/** Whether a message rejects a signed thought in the history, as suppliers do with those of others. */
export function saysProofRefused(message: string): boolean {
  return PROOF_REFUSED.test(message.slice(0, MAX_EXAMINED_CHARACTERS))
}
