const LEAST_CHARACTERS = 10

export const PASSWORD_ADVICE = `At least ${LEAST_CHARACTERS} characters. A few unrelated words are good.`

/** What is wrong with a new password; the gateway decides in the end. */
export function checkPassword(password: string): string | null {
  return [...password].length < LEAST_CHARACTERS ? `Use at least ${LEAST_CHARACTERS} characters` : null
}
