import type { SupplyProblem, SupplyText } from '../../manage/ports/supply-application.ts'

/** A text with its references put in, or what is wrong with them. */
export interface Resolved {
  readonly text: string
  /** The variables that were used. */
  readonly names: readonly string[]
  readonly complaints: readonly SupplyProblem['message'][]
}

// An escape, a reference, or the beginning of one that never became one.
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{/g

/** Puts each variable in the place of its `${NAME}`; `$${` is how a text says `${` itself. */
export function resolveReferences(text: string, variables: SupplyText['variables']): Resolved {
  const names: string[] = []
  const complaints: string[] = []
  const resolved = text.replace(REFERENCE, (match: string, name: string | undefined) => {
    if (match === '$${') return '${'
    if (name === undefined) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a reference.
      complaints.push('has "${" without a name and "}"; write ${NAME}, or $${ for the two signs themselves.')
      return ''
    }
    names.push(name)
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (!value) complaints.push(`needs the environment variable ${name}, which is not set.`)
    return value ?? ''
  })
  return { text: resolved, names, complaints }
}
