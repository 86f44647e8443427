import { GatewayError } from '../../errors/gateway-error.ts'
import type { SupplyChange } from '../../vocabulary/supply.ts'

export interface SupplyOptions {
  /** Who asked, for the audit. */
  readonly actor: string
  /** Adds what is missing and renews secrets; whatever else is there already stays as it is. */
  readonly keepExisting?: boolean
  /** Suppliers of the document that keep only the credentials and routes it names. */
  readonly pruneSuppliers?: readonly string[]
}

/** One for each thing the document speaks of, in the order in which they are written. */
export type SupplyChanges = readonly SupplyChange[]

/** Where in a document something stands, such as `['suppliers', 0, 'base_url']`, by its written field names. */
export type SupplyPath = readonly (string | number)[]

export interface SupplyProblem {
  readonly path: SupplyPath
  /** Where in the text it is, when no field can be named. */
  readonly offset?: number
  /** Never repeats a text of the document: it may be a secret. */
  readonly message: string
}

/** `file:line:column` of a problem; empty when the document was never a text. */
export type LocateProblem = (problem: SupplyProblem) => string

// More would not be read, and one wrong indentation can break every line after it.
const MOST_SHOWN = 20

/** A document that was refused whole. The message lists what is wrong with it, one line each. */
export class RefusedSupply extends GatewayError {
  readonly problems: readonly SupplyProblem[]

  constructor(problems: readonly SupplyProblem[], name: string, locate: LocateProblem) {
    const lines = problems.slice(0, MOST_SHOWN).map((problem) => {
      const field = describeSupplyPath(problem.path)
      return `  ${[locate(problem), field && `${field}:`, problem.message].filter(Boolean).join(' ')}`
    })
    if (problems.length > MOST_SHOWN) lines.push(`  and ${problems.length - MOST_SHOWN} more`)
    super('invalid_request', `${name} cannot be applied; nothing was changed:\n${lines.join('\n')}`, {
      param: describeSupplyPath(problems[0]?.path ?? []) || 'document',
    })
    this.name = 'RefusedSupply'
    this.problems = problems
  }
}

/** `['suppliers', 0, 'base_url']` as `suppliers[0].base_url`. */
export function describeSupplyPath(path: SupplyPath): string {
  const parts = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${showName(part)}`))
  return parts.join('').replace(/^\./, '')
}

/** An unknown name may be a misplaced secret, so only text that looks like a field name is shown. */
function showName(name: string): string {
  return /^[a-z](?:[a-z]|_|_\d{1,2}[a-z]$){0,39}$/.test(name) ? name : '(other name)'
}

/** `formats[1]` as `['formats', 1]`. */
export function readSupplyPath(param: string): SupplyPath {
  const parts = param.match(/[^.[\]]+/g) ?? []
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

/** A supply as written in a file. */
export interface SupplyText {
  readonly text: string
  /** The file's name, for messages. */
  readonly name: string
  /** What `${NAME}` stands for. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Applies a written supply, or only says what that would change; throws RefusedSupply when it is wrong anywhere. */
export type ApplySupplyText = (
  source: SupplyText,
  options: { readonly actor: string; readonly isDryRun: boolean },
) => Promise<SupplyChanges>
