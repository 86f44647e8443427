/** What a parent tells a worker when it starts it. It stands in the environment, so there is no secret in it. */
export interface Assignment {
  readonly nodeId: string
  readonly slot: number
  readonly port: number
  readonly sandboxUrl: string | null
  /** Where the parent keeps the windows; null: Redis has them. */
  readonly deskPath: string | null
}

/** What a parent orders. */
export type Order =
  /** `isReplaced`: others have taken over already, and nobody need be sent away. */
  { readonly type: 'leave'; readonly isReplaced: boolean } | { readonly type: 'end' }

/** What a worker reports. */
export type Report = { readonly type: 'ready' } | { readonly type: 'failed'; readonly reason: string }

const VARIABLE = 'TURNPIKE_WORKER'

export function encodeAssignment(assignment: Assignment): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(assignment) }
}

/** null: this process is nobody's worker. */
export function readAssignment(environment: Readonly<Record<string, string | undefined>>): Assignment | null {
  const text = environment[VARIABLE]
  return text ? (JSON.parse(text) as Assignment) : null
}
