const MIN_CHARACTERS = 10

export const PASSWORD_ADVICE = `At least ${MIN_CHARACTERS} characters. A few unrelated words are good.`

/** Checks a new password. The gateway makes the final decision. */
export function checkPassword(password: string): string | null {
  return [...password].length < MIN_CHARACTERS ? `Use at least ${MIN_CHARACTERS} characters` : null
}

/** Checks an address. Only a mail to it tells whether somebody reads it. */
export function checkEmail(email: string): string | null {
  return /^\S+@\S+$/.test(email.trim()) ? null : 'Enter an e-mail address'
}

export function checkOptionalEmail(email: string): string | null {
  return email.trim() === '' ? null : checkEmail(email)
}
