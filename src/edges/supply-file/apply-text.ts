import type { Operations } from '../../manage/ports/operations.ts'
import {
  type ApplySupplyText,
  RefusedSupply,
  type SupplyProblem,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import type { ReadSupply } from './read-supply.ts'

/** Applies supply files to a gateway. Errors carry their position in the text. */
export function createTextApplication(operations: Operations): ApplySupplyText {
  return async (source, { actor, isDryRun }) => {
    const { readSupply } = await import('./read-supply.ts')
    const supply = readSupply(source)
    const options = { actor, pruneSuppliers: supply.pruneSuppliers }
    try {
      if (isDryRun) return operations.planSupply(supply.document, options)
      return await operations.applySupply(supply.document, options)
    } catch (error) {
      if (!(error instanceof RefusedSupply)) throw error
      const problems = hideSecrets(error.problems, secretsOf(supply, source))
      throw new RefusedSupply(problems, source.name, supply.locate)
    }
  }
}

// Shorter secrets occur in ordinary words, and hiding them would garble the message.
const MIN_HIDDEN_LENGTH = 4

/** Errors may quote an id, and a user may have put a secret in its place. */
function hideSecrets(problems: readonly SupplyProblem[], secrets: readonly string[]): SupplyProblem[] {
  return problems.map((problem) => ({
    ...problem,
    message: secrets.reduce((message, secret) => message.replaceAll(secret, '[hidden]'), problem.message),
  }))
}

function secretsOf({ document, references }: ReadSupply, { variables }: SupplyText): string[] {
  const written = document.suppliers.flatMap(({ credentials }) => credentials.map(({ secret }) => secret))
  const referred = references.map((name) => variables[name] ?? '')
  return [...written, ...referred].filter((text) => text.length >= MIN_HIDDEN_LENGTH)
}
