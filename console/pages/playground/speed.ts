import type { Answer } from '../../parts/wire/ask.ts'

const SECOND_MS = 1_000
// Shorter spans say more about the network than about the model.
const LEAST_MS = 20

/** How fast a model wrote, after its first words if it streamed. Null when that cannot be told. */
export function tokensPerSecond(
  tokens: number,
  { events, firstByteMs, durationMs }: Pick<Answer, 'events' | 'firstByteMs' | 'durationMs'>,
): number | null {
  if (durationMs === null || tokens === 0) return null
  const spentMs = durationMs - (events.length > 0 ? (firstByteMs ?? 0) : 0)
  if (spentMs < LEAST_MS) return null
  const speed = (tokens * SECOND_MS) / spentMs
  return speed < 10 ? Math.round(speed * 10) / 10 : Math.round(speed)
}
