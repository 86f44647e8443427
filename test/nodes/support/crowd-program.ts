/**
 * Sends many requests at once and prints what came of them. A process of its own, since a test's own process keeps
 * the number of requests under way low.
 */
interface Errand {
  readonly urls: readonly string[]
  readonly key: string
  readonly count: number
  readonly body: unknown
}

const errand: Errand = JSON.parse(process.argv[2] ?? '')
const body = JSON.stringify(errand.body)

async function ask(index: number): Promise<string> {
  const url = errand.urls[index % errand.urls.length]
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${errand.key}`, 'content-type': 'application/json' },
      body,
    })
    const text = await response.text()
    return response.ok ? '200' : `${response.status} ${JSON.parse(text).error.code}`
  } catch (error) {
    return String(error)
  }
}

const outcomes = await Promise.all(Array.from({ length: errand.count }, (_, index) => ask(index)))
const tally: Record<string, number> = {}
for (const outcome of outcomes) tally[outcome] = (tally[outcome] ?? 0) + 1
console.log(JSON.stringify(tally))

export {}
