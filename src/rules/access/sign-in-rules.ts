import { COMMON_PASSWORDS, GUESSABLE_WORDS } from './common-passwords.ts'

const SHORTEST = 10
const LONGEST = 200

/** What is wrong with a new password, in one sentence that does not contain it; null when it is acceptable. */
export function findPasswordFault(password: string, email: string): string | null {
  const length = [...password].length
  if (length < SHORTEST || length > LONGEST) {
    return `The password must have ${SHORTEST} to ${LONGEST} characters.`
  }
  if (isGuessable(password.toLowerCase(), email)) {
    return 'This password is too common. Choose another one.'
  }
  return null
}

function isGuessable(password: string, email: string): boolean {
  if (COMMON_PASSWORDS.has(password)) return true
  // Few different characters: `aaaaaaaaaa`, `ababababab`.
  if (new Set(password).size < 4) return true
  const word = password.replace(/[\d\W_]+$/, '')
  if (GUESSABLE_WORDS.has(word) || GUESSABLE_WORDS.has(password)) return true
  const [localPart = ''] = email.split('@')
  return password === email || (localPart.length >= 3 && word === localPart)
}

const ADDRESS = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,253}$/u

/** Normalises an e-mail address, so that each person has one spelling; null when it is not an address. */
export function normaliseEmail(text: string): string | null {
  const address = text.trim().toLowerCase().normalize('NFKC')
  return ADDRESS.test(address) ? address : null
}
