import type { Cell } from './play.ts'
import type { TextFormat } from './talk.ts'

/** A square of the matrix that is known not to work. */
export interface Gap {
  readonly scenario: string
  readonly client: TextFormat
  /** Every supplier format when absent. */
  readonly supplier?: TextFormat
  /** Every SDK of the client format when absent. */
  readonly sdk?: string
  readonly reason: string
}

/** Everything that is not supported, with the reason. Whatever is not named here must work. */
export const GAPS: readonly Gap[] = [
  {
    scenario: 'stop',
    client: 'responses',
    reason: 'The responses format has no stop sequences: a client cannot ask for one.',
  },
  {
    scenario: 'thinking',
    client: 'chat-completion',
    sdk: 'ai with @ai-sdk/openai',
    reason:
      'This provider shows no thoughts in chat-completion; use @ai-sdk/openai-compatible, or its responses model.',
  },
]

export function gapOf({ driver, supplier, scenario }: Cell): Gap | undefined {
  return GAPS.find(
    (gap) =>
      gap.scenario === scenario.id &&
      gap.client === driver.format &&
      (gap.supplier ?? supplier) === supplier &&
      (gap.sdk ?? driver.sdk) === driver.sdk,
  )
}
