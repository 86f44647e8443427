const ADDRESS = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,253}$/u

/** The one way an address is written here, so that one person has one; null when it is none. */
export function normaliseEmail(text: string): string | null {
  const address = text.trim().toLowerCase().normalize('NFKC')
  return ADDRESS.test(address) ? address : null
}
