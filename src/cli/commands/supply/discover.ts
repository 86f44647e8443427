import { asObject, tryParseJson } from '../../../wire/json-values.ts'
import { MAX_MESSAGE_BYTES, readText } from '../../../wire/read-text.ts'
import type { Action } from '../../action-group.ts'
import { printRows } from '../../print-table.ts'
import { vendorNamed, writeSupplier } from './write-supply.ts'

/** A program that serves models, and how it is recognised. */
interface Program {
  /** Its name in the catalog. */
  readonly vendor: string
  readonly port: number
  /** A path that only this program answers. */
  readonly path: string
  isAnswer(answer: Readonly<Record<string, unknown>>): boolean
}

/** Those that look most like others come last: some imitate the paths of others. */
const PROGRAMS: readonly Program[] = [
  {
    vendor: 'llama-cpp',
    port: 8080,
    path: '/props',
    isAnswer: (answer) => 'default_generation_settings' in answer,
  },
  {
    vendor: 'lm-studio',
    port: 1234,
    path: '/api/v0/models',
    isAnswer: ({ object, data }) => object === 'list' && Array.isArray(data),
  },
  {
    vendor: 'ollama',
    port: 11434,
    path: '/api/version',
    isAnswer: ({ version }) => typeof version === 'string',
  },
  { vendor: 'vllm', port: 8000, path: '/version', isAnswer: ({ version }) => typeof version === 'string' },
]

/** A program that was found. */
export interface Discovered {
  readonly vendor: string
  readonly base_url: string
  readonly models: readonly string[]
}

// A program on the own machine answers at once; one that does not is something else.
const PATIENCE_MS = 2_000

/** Asks each port of a host for what only these programs answer. Ports that answer otherwise are left alone. */
export async function discoverPrograms(host: string, ports = usualPorts()): Promise<Discovered[]> {
  const found = await Promise.all(ports.map((port) => recognise(`http://${bracketed(host)}:${port}`)))
  return found.filter((each) => each !== null)
}

function usualPorts(): number[] {
  return PROGRAMS.map(({ port }) => port)
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

async function recognise(origin: string): Promise<Discovered | null> {
  for (const { vendor, path, isAnswer } of PROGRAMS) {
    const answer = await ask(`${origin}${path}`)
    if (answer === 'unreachable') return null
    if (answer === null || !isAnswer(answer)) continue
    return { vendor, base_url: `${origin}/v1`, models: await listModels(origin) }
  }
  return null
}

async function listModels(origin: string): Promise<readonly string[]> {
  const answer = await ask(`${origin}/v1/models`)
  const data = answer === null || answer === 'unreachable' ? [] : answer.data
  if (!Array.isArray(data)) return []
  return data.flatMap((model) => {
    const id = asObject(model)?.id
    return typeof id === 'string' ? [id] : []
  })
}

/** The object that an address answers with; null for any other answer. */
async function ask(url: string): Promise<Readonly<Record<string, unknown>> | 'unreachable' | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'manual' })
    const text = await readText(response, MAX_MESSAGE_BYTES)
    return response.ok ? (asObject(tryParseJson(text ?? '')) ?? null) : null
  } catch {
    return 'unreachable'
  }
}

export const discover: Action = {
  optional: ['host'],
  switches: ['add'],
  summary: 'look for Ollama, vLLM, LM Studio and llama.cpp on this machine or another',
  notes: { host: 'where to look; this machine by default', add: 'add what is found as suppliers' },
  examples: ['turnpike suppliers discover', 'turnpike suppliers discover --host 10.0.0.7 --add'],
  run: async (call) => {
    const isAdding = call.has('add')
    const found = await discoverPrograms(call.flag('host') ?? '127.0.0.1')
    if (isAdding) {
      for (const { vendor, base_url } of found) {
        const { type = 'openai-compatible', formats } = vendorNamed(vendor) ?? {}
        const settings = { id: vendor, type, base_url, ...(formats !== undefined && { formats }) }
        await writeSupplier(call.client, { ...settings, secret: 'none' })
      }
    }
    printRows(call, found, {
      show: ({ vendor, base_url, models }) => {
        return {
          program: vendor,
          address: base_url,
          models: models.length,
          first: models[0],
          added: isAdding,
        }
      },
      figures: ['models'],
      empty: 'Nothing was found.',
    })
    return 0
  },
}
