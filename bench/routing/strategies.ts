import type { Candidate } from '../../src/rules/routing/candidate.ts'
import { type AttemptVerdict, Router } from '../../src/rules/routing/router.ts'
import type { Random } from '../../src/rules/routing/routing-settings.ts'
import type { SteadyClock } from '../../src/vocabulary/clock.ts'
import type { Arrival } from './arrivals.ts'
import { ROUTES } from './world.ts'

/** One way to choose whom to ask. All of them try at most as many candidates for one request. */
export interface Strategy {
  readonly name: string
  order(arrival: Arrival): readonly Candidate[]
  begin(candidate: Candidate): boolean
  end(candidate: Candidate, result: AttemptVerdict, conversation: string): void
}

const MODEL_ID = 'model-1'

/** Neighbours belong to different suppliers, so that going round does not mean trying one supplier three times. */
const EVERYONE: readonly Candidate[] = ROUTES.flatMap((route) =>
  route.credentials.map((credential, index) => ({ route, credential, reason: '', index })),
)
  .sort((one, other) => one.index - other.index)
  .map(({ route, credential, reason }) => ({ route, credential, reason }))

const UNLEARNING = { begin: () => true, end: () => {} } as const

export function roundRobin(): Strategy {
  let turn = 0
  return {
    name: 'round-robin',
    ...UNLEARNING,
    order: () => {
      turn = (turn + 1) % EVERYONE.length
      return [...EVERYONE.slice(turn), ...EVERYONE.slice(0, turn)]
    },
  }
}

export function byChance(random: Random): Strategy {
  return {
    name: 'random',
    ...UNLEARNING,
    order: () =>
      EVERYONE.map((candidate) => ({ candidate, draw: random() }))
        .sort((one, other) => one.draw - other.draw)
        .map(({ candidate }) => candidate),
  }
}

export function byRouter(clock: SteadyClock, random: Random): Strategy {
  const router = new Router({ clock, random })
  return {
    name: 'router',
    order: ({ conversation, promptTokens, outputTokens }) =>
      router.order({
        modelId: MODEL_ID,
        routes: ROUTES,
        clientFormat: 'chat-completion',
        conversation,
        promptTokens,
        outputTokens,
      }).candidates,
    begin: (candidate) => router.begin(candidate, MODEL_ID),
    end: (candidate, result, conversation) => {
      router.end({ candidate, modelId: MODEL_ID, result })
      if (result.type === 'answered') router.remember(conversation, candidate)
    },
  }
}
