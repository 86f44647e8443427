/** What a sandbox answers, for servers that only stand in front of it. */
export function askSandbox(sandboxUrl: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${sandboxUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer sk-sandbox-behind',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
}

/** The data of each event of a stream. */
export async function readEventData(response: Response): Promise<string[]> {
  const events = (await response.text()).split('\n\n')
  return events.flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
}
