import { describe, expect, test } from 'bun:test'
import { CHAT_FORMATS, type Question } from '../../parts/wire/question.ts'
import { writeCode } from './write-code.ts'
import { writeImageCode } from './write-image-code.ts'

const BASE_URL = 'https://models.example.com'

const SAID = 'It\'s $HOME `here`: "a": 1'

const QUESTION: Question = {
  format: 'chat-completion',
  model: 'acme/m-1',
  system: 'Don\'t "shout".\nBe brief.',
  turns: [{ role: 'user', text: SAID }],
  temperature: 0.5,
  maxTokens: 100,
  effort: 'low',
  isStreamed: true,
}

function codeOf(question: Question, id: string): string {
  return writeCode(question, BASE_URL).find((code) => code.id === id)?.code ?? ''
}

/** The arguments of a command, as a shell parses them. */
async function wordsOf(command: string): Promise<string[]> {
  const shell = Bun.spawn(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    env: { TURNPIKE_API_KEY: 'sk-from-environment' },
  })
  const words = await new Response(shell.stdout).text()
  return words.split('\0').slice(0, -1)
}

describe('code to copy', () => {
  for (const format of CHAT_FORMATS) {
    for (const isStreamed of [true, false]) {
      const question = { ...QUESTION, format, isStreamed }

      test(`${format}, streamed ${isStreamed}: curl sends the exact body and the key from the environment`, async () => {
        const words = await wordsOf(codeOf(question, 'curl'))
        expect(words.some((word) => word.startsWith(BASE_URL))).toBe(true)
        expect(words.some((word) => word.includes('sk-from-environment'))).toBe(true)
        expect(JSON.stringify(JSON.parse(words.at(-1) ?? ''))).toContain("It's $HOME `here`")
      })

      test(`${format}, streamed ${isStreamed}: writes valid TypeScript`, () => {
        const code = codeOf(question, 'typescript')
        expect(() => new Bun.Transpiler({ loader: 'ts' }).transformSync(code)).not.toThrow()
        expect(code.includes('for await')).toBe(isStreamed)
        expect(code).toContain(JSON.stringify(SAID))
      })

      test(`${format}, streamed ${isStreamed}: writes Python literals`, () => {
        const code = codeOf(question, 'python')
        expect(code).not.toMatch(/\b(true|false|null)\b/)
        expect(code.includes('for part in stream')).toBe(isStreamed)
      })
    }
  }
})

describe('code for images', () => {
  const settings = { model: 'm', prompt: "It's a cat", n: 2, size: '', quality: '' }

  test('sends the files of an edit as a form', async () => {
    const edit = { image: new Blob(['x']), mask: new Blob(['y']) }
    const [curl] = writeImageCode({ ...settings, edit }, { isEdit: true, baseUrl: BASE_URL })
    const words = await wordsOf(curl?.code ?? '')
    expect(words).toContain("prompt=It's a cat")
    expect(words).toContain('image=@image.png')
    expect(words).toContain('mask=@mask.png')
  })

  test('sends a generation as JSON', async () => {
    const [curl] = writeImageCode({ ...settings, edit: null }, { isEdit: false, baseUrl: BASE_URL })
    const words = await wordsOf(curl?.code ?? '')
    expect(JSON.parse(words.at(-1) ?? '')).toMatchObject({ model: 'm', prompt: "It's a cat", n: 2 })
  })
})
