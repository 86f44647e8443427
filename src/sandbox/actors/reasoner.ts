import type { Actor } from './actor.ts'
import { thinkAbout } from './thoughts.ts'
import { act } from './tools.ts'

export const reasoner: Actor = {
  model: 'sandbox-reasoner',
  summary: 'Thinks aloud first, then answers or calls the first offered tool.',
  demandsSeals: true,
  speak: (ask, choice) => {
    const action = act(ask, choice)
    return ask.thinking === 'declined' ? action : [...thinkAbout(ask), ...action]
  },
}
