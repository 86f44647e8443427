/**
 * Key names in Redis. The part in braces selects the slot of a Cluster, so everything of one account is on one server and
 * can change in one step.
 */
export class LimitsKeys {
  readonly #prefix: string
  readonly #nodeId: string
  readonly supply: string
  readonly generation: string
  readonly configuration: string
  readonly kept: string

  constructor(prefix: string, nodeId: string) {
    this.#prefix = prefix
    this.#nodeId = nodeId
    this.supply = `${prefix}{supply}:capacity`
    this.generation = `${prefix}{desk}:generation`
    this.configuration = `${prefix}{desk}:configuration`
    this.kept = `${prefix}{desk}:kept`
  }

  joined(generation: string): string {
    return `${this.#prefix}{desk}:joined:${generation}`
  }

  money(accountId: string): string {
    return `${this.#prefix}{${accountId}}:money`
  }

  windows(accountId: string): string {
    return `${this.#prefix}{${accountId}}:windows`
  }

  /** The holds of this node. */
  holds(accountId: string): string {
    return `${this.#prefix}{${accountId}}:holds:${this.#nodeId}`
  }

  pin(accountId: string, conversation: string): string {
    return `${this.#prefix}{${accountId}}:pin:${conversation}`
  }

  note(accountId: string, name: string): string {
    return `${this.#prefix}{${accountId}}:note:${name}`
  }

  /** Matches the holds of a node in every account. */
  holdsPattern(nodeId: string): string {
    return `${escapePattern(this.#prefix)}{*}:holds:${escapePattern(nodeId)}`
  }

  /** The money key of the account whose holds key `holdsPattern` has found. */
  moneyBeside(holdsKey: string, nodeId: string): string {
    return `${holdsKey.slice(0, holdsKey.length - `holds:${nodeId}`.length)}money`
  }
}

function escapePattern(text: string): string {
  return text.replace(/[*?[\]\\]/g, '\\$&')
}
