import { join, resolve } from 'node:path'
import type { startGateway } from './gateway.ts'
import type { Target, TargetContext } from './target.ts'

/** The gateway of another checkout, set up by that checkout's own benchmark. */
export async function startCheckout(context: TargetContext, folder: string, name: string): Promise<Target> {
  const program = join(resolve(folder), 'bench/targets/gateway.ts')
  const { startGateway: start } = (await import(program)) as { startGateway: typeof startGateway }
  return start(context, { name, environment: {} })
}
