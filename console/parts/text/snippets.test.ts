import { describe, expect, test } from 'bun:test'
import { SNIPPET_KINDS, type SnippetQuestion, writeSnippets } from './snippets.ts'

const QUESTION: SnippetQuestion = {
  baseUrl: 'https://models.example.com',
  secret: 'sk-secret',
  model: 'gpt-5',
  kind: 'text',
}

function codeOf(question: SnippetQuestion, id: string): string {
  return writeSnippets(question)
    .filter((snippet) => snippet.id === id)
    .flatMap(({ blocks }) => blocks.map(({ code }) => code))
    .join('\n')
}

/** The arguments of a command, as a shell parses them. */
async function wordsOf(command: string): Promise<string[]> {
  const shell = Bun.spawn(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`])
  const words = await new Response(shell.stdout).text()
  return words.split('\0').slice(0, -1)
}

describe('ready-to-paste calls', () => {
  test('contain the address and the model, and all except the TOML contain the key', () => {
    for (const kind of SNIPPET_KINDS) {
      for (const { blocks, id } of writeSnippets({ ...QUESTION, kind })) {
        const code = blocks.map((block) => block.code).join('\n')
        expect(`${id} ${code}`).toContain('https://models.example.com')
        expect(`${id} ${code}`).toContain('gpt-5')
        expect(`${id} ${code}`).toContain('sk-secret')
      }
    }
  })

  test('quote any model name for the shell', async () => {
    const model = `it's "odd" $HOME \`x\``
    const words = await wordsOf(codeOf({ ...QUESTION, model }, 'curl'))
    expect(words[0]).toBe('https://models.example.com/v1/chat/completions')
    expect(words).toContain('Authorization: Bearer sk-secret')
    expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({ model, messages: [{ role: 'user' }] })
  })

  test('read the key from the environment without a secret', () => {
    const nameless = { ...QUESTION, secret: null }
    expect(codeOf(nameless, 'curl')).toContain('Bearer $TURNPIKE_API_KEY')
    expect(codeOf(nameless, 'openai')).toContain('os.environ["TURNPIKE_API_KEY"]')
    expect(codeOf(nameless, 'openai')).toContain('process.env.TURNPIKE_API_KEY')
    expect(codeOf(nameless, 'claude-code')).toContain('ANTHROPIC_AUTH_TOKEN=$TURNPIKE_API_KEY')
    expect(codeOf(nameless, 'codex')).toContain('env_key = "TURNPIKE_API_KEY"')
  })

  test('write valid TOML for Codex', () => {
    const [configuration] = writeSnippets(QUESTION).find(({ id }) => id === 'codex')?.blocks ?? []
    expect(Bun.TOML.parse(configuration?.code ?? '')).toMatchObject({
      model: 'gpt-5',
      model_providers: { turnpike: { base_url: 'https://models.example.com/v1', wire_api: 'responses' } },
    })
  })
})
