export interface Connection {
  readonly url: string
  readonly key: string
  /** A key that may use every supplier, for what only some of them have. */
  readonly openKey: string
  readonly model: string
}

export interface CaseResult {
  readonly case: string
  /** null when it passed. */
  readonly problem: string | null
}

export type Cases = Readonly<Record<string, (connection: Connection) => Promise<void>>>

export async function runCases(cases: Cases, connection: Connection): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = []
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run(connection)
      results.push({ case: name, problem: null })
    } catch (error) {
      results.push({ case: name, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return results
}

export function check(condition: unknown, shown: unknown): void {
  if (!condition) throw new Error(`unexpected: ${JSON.stringify(shown)?.slice(0, 500)}`)
}

/** A red square of 1 x 1 pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC'

export const WEATHER = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const
