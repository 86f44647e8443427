import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { awaitHttp, findFreePort } from '../process-group.ts'
import { CHAT_PATH, MODEL, type Target, type TargetContext } from './target.ts'

/** A peer written in Python: the command that BENCH_LITELLM names, such as `litellm`. Null when it names none. */
export async function startLitellm({
  processes,
  upstreamPort,
  folder,
}: TargetContext): Promise<Target | null> {
  const command = process.env.BENCH_LITELLM
  if (!command) return null
  const file = join(folder, 'litellm.yaml')
  writeFileSync(file, configuration(upstreamPort))
  const port = await findFreePort()
  const flags = ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
  const started = processes.start({
    name: 'litellm',
    command: [...command.split(' '), ...flags],
    // It would otherwise fetch a price list before it serves.
    environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
  })
  await awaitHttp(started, `http://127.0.0.1:${port}/health/liveliness`)
  return {
    name: 'litellm',
    process: started,
    port,
    path: CHAT_PATH,
    headers: { authorization: 'Bearer sk-bench' },
  }
}

function configuration(upstreamPort: number): string {
  return `
model_list:
  - model_name: ${MODEL}
    litellm_params:
      model: openai/${MODEL}
      api_base: http://127.0.0.1:${upstreamPort}/v1
      api_key: sk-upstream
litellm_settings:
  telemetry: false
general_settings:
  master_key: sk-bench
`
}
