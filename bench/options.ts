import { parseArgs } from 'node:util'

export const TARGET_NAMES = ['direct', 'bare', 'gateway', 'nginx', 'portkey', 'bifrost', 'litellm'] as const
export type TargetName = (typeof TARGET_NAMES)[number]

export const GROUP_NAMES = [
  'requests',
  'sizes',
  'tail',
  'workers',
  'strangers',
  'supply',
  'memory',
  'start',
] as const
/** Without the two that start and warm gateways of their own, so that a short run stays short. */
const SHORT_GROUPS = GROUP_NAMES.filter((name) => name !== 'workers' && name !== 'supply')
export type GroupName = (typeof GROUP_NAMES)[number]

export interface Options {
  readonly isLong: boolean
  readonly groups: ReadonlySet<GroupName>
  readonly targets: ReadonlySet<TargetName>
  /** Streams that are open while their chunks are timed. */
  readonly streams: number
  /** How often each row is measured; null for as often as its group does. */
  readonly rounds: number | null
  /** The folder of another checkout, whose gateway takes turns with this one's. */
  readonly against: string | null
}

export const USAGE = `usage: npm run bench -- [--long] [--only sizes,tail] [--targets gateway,nginx] [--streams 200] [--rounds 8]
                        [--against ../other]

  --long     eight rounds instead of three, longer ones, and all targets: over an hour
  --only     these groups of rows: ${GROUP_NAMES.join(', ')}.
             Without it all with --long, else all but workers and supply
  --targets  these besides direct and bare, which are what is compared with: ${TARGET_NAMES.slice(2).join(', ')}.
             Without it only the gateway, and all of them with --long. BENCH_BIFROST names the program of Bifrost,
             BENCH_LITELLM the command that starts LiteLLM; without it they are left out
  --streams  how many are open while chunks are timed: 200, or 1000 with --long
  --rounds   how often each row is measured, but for requests and memory: 8 with --long, else 1 to 3 times
  --against  another checkout, with its packages installed: its gateway takes turns with this one in sizes and tail`

export function readOptions(given: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...given],
    options: {
      long: { type: 'boolean', default: false },
      only: { type: 'string' },
      targets: { type: 'string' },
      streams: { type: 'string' },
      rounds: { type: 'string' },
      against: { type: 'string' },
    },
  })
  const isLong = values.long
  return {
    isLong,
    groups: new Set(pick('group', GROUP_NAMES, values.only ?? (isLong ? GROUP_NAMES : SHORT_GROUPS).join())),
    targets: new Set([
      'direct',
      'bare',
      ...pick('target', TARGET_NAMES, values.targets ?? (isLong ? TARGET_NAMES.join() : 'gateway')),
    ]),
    streams: readCount('streams', values.streams) ?? (isLong ? 1_000 : 200),
    rounds: readCount('rounds', values.rounds),
    against: values.against ?? null,
  }
}

function readCount(name: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${name} takes a number, not ${text}`)
  return count
}

function pick<Name extends string>(what: string, known: readonly Name[], text: string): Name[] {
  const wanted = text.split(',')
  const unknown = wanted.filter((name) => !known.some((one) => one === name))
  if (unknown.length > 0)
    throw new Error(`no such ${what}: ${unknown.join(', ')}; there are ${known.join(', ')}`)
  return known.filter((name) => wanted.includes(name))
}
