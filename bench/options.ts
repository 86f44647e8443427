import { parseArgs } from 'node:util'

export const TARGET_NAMES = ['direct', 'bare', 'gateway', 'nginx', 'portkey'] as const
export type TargetName = (typeof TARGET_NAMES)[number]

export interface Options {
  readonly full: boolean
  readonly targets: ReadonlySet<TargetName>
}

export const USAGE = `usage: npm run bench -- [--quick | --full] [--no-portkey] [--only gateway,nginx]

  --quick       about two minutes (the default)
  --full        more and longer rounds, and 2,000 streams at once
  --no-portkey  leaves out the peer that must be installed first
  --only        leaves out all but these; direct and bare always run, they are what is compared with`

export function readOptions(given: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...given],
    options: {
      quick: { type: 'boolean' },
      full: { type: 'boolean' },
      'no-portkey': { type: 'boolean' },
      only: { type: 'string' },
    },
  })
  const only = values.only?.split(',') ?? [...TARGET_NAMES]
  const unknown = only.filter((name) => !TARGET_NAMES.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`no such target: ${unknown.join(', ')}`)

  const targets = new Set<TargetName>(['direct', 'bare'])
  for (const name of TARGET_NAMES) if (only.includes(name)) targets.add(name)
  if (values['no-portkey']) targets.delete('portkey')
  return { full: values.full ?? false, targets }
}
