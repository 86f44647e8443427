import { spawnSync } from 'node:child_process'

/** A network namespace for one process, joined to this machine by two virtual cables. */
export interface Namespace {
  /** What to put before a command that is to run inside. */
  readonly prefix: readonly string[]
  /** Addresses of this machine and of the inside, on the cable for clients and suppliers. */
  readonly front: { readonly outside: string; readonly inside: string }
  /** The address of this machine on the cable for the stores. */
  readonly storesAt: string
  /** Pulls the cable for the stores, or plugs it in again. */
  setStores(state: 'up' | 'down'): void
  remove(): void
}

/** Null where this process may not make networks. */
export function makeNamespace(): Namespace | null {
  const tag = String(process.pid % 100_000)
  const name = `turnpike-${tag}`
  if (!run('netns', 'add', name)) return null
  const block = 16 + (process.pid % 200)
  const cables = [
    { outer: `tpf${tag}`, inner: 'front', net: `10.213.${block}` },
    { outer: `tps${tag}`, inner: 'stores', net: `10.214.${block}` },
  ] as const
  const isMade = cables.every(
    ({ outer, inner, net }) =>
      run('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', name) &&
      run('addr', 'add', `${net}.1/30`, 'dev', outer) &&
      run('link', 'set', outer, 'up') &&
      run('-n', name, 'addr', 'add', `${net}.2/30`, 'dev', inner) &&
      run('-n', name, 'link', 'set', inner, 'up'),
  )
  run('-n', name, 'link', 'set', 'lo', 'up')
  const remove = () => {
    for (const { outer } of cables) run('link', 'del', outer)
    run('netns', 'del', name)
  }
  if (!isMade) {
    remove()
    return null
  }
  const [front, stores] = cables
  return {
    prefix: ['ip', 'netns', 'exec', name],
    front: { outside: `${front.net}.1`, inside: `${front.net}.2` },
    storesAt: `${stores.net}.1`,
    setStores: (state) => run('link', 'set', stores.outer, state),
    remove,
  }
}

function run(...args: string[]): boolean {
  return spawnSync('ip', args, { stdio: 'ignore' }).status === 0
}
