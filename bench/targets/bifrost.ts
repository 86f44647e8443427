import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { awaitHttp, findFreePort } from '../process-group.ts'
import { CHAT_PATH, MODEL, type Target, type TargetContext } from './target.ts'

/** A peer written in Go: the program that BENCH_BIFROST names. Null when it names none. */
export async function startBifrost({
  processes,
  upstreamPort,
  folder,
}: TargetContext): Promise<Target | null> {
  const program = process.env.BENCH_BIFROST
  if (!program) return null
  const home = join(folder, 'bifrost')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration(upstreamPort)))
  const port = await findFreePort()
  const flags = ['-app-dir', home, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error']
  const started = processes.start({ name: 'bifrost', command: [program, ...flags] })
  await awaitHttp(started, `http://127.0.0.1:${port}/health`)
  return {
    name: 'bifrost',
    process: started,
    port,
    path: CHAT_PATH,
    headers: { authorization: 'Bearer bench' },
    model: `openai/${MODEL}`,
  }
}

/** From a file only, without a database and a log of requests: the least it can do. */
function configuration(upstreamPort: number) {
  return {
    client: { drop_excess_requests: false, enable_logging: false, initial_pool_size: 500 },
    providers: {
      openai: {
        keys: [{ name: 'bench', value: 'sk-upstream', models: ['*'], weight: 1 }],
        network_config: {
          base_url: `http://127.0.0.1:${upstreamPort}`,
          default_request_timeout_in_seconds: 60,
        },
      },
    },
    config_store: { enabled: false },
    logs_store: { enabled: false },
  }
}
