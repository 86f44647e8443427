import { afterAll, beforeAll, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { BOOTSTRAP_KEY, startTestGateway, type TestGateway } from '../support/test-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

const openai = () => new OpenAI({ apiKey: BOOTSTRAP_KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const anthropic = () => new Anthropic({ apiKey: BOOTSTRAP_KEY, baseURL: gateway.url, maxRetries: 0 })

const CALLS: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  files: () => openai().files.list(),
  batches: () => openai().batches.retrieve('batch_1'),
  'fine-tuning': () => openai().fineTuning.jobs.list(),
  'vector stores': () => openai().vectorStores.create({ name: 'x' }),
  containers: () => openai().containers.list(),
  evals: () => openai().evals.list(),
  'image variations': () => openai().images.createVariation({ image: new File(['x'], 'x.png') }),
  'batches of messages': () => anthropic().messages.batches.list(),
}

test.each(Object.keys(CALLS))('the SDK is told that there are no %s', async (name) => {
  const error = await Promise.resolve(CALLS[name]?.()).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 404 })
  expect((error as Error).message).toContain(`does not have ${name.replace(' of messages', '')}`)
})
