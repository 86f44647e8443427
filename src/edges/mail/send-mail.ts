import type { SendMail } from '../../manage/ports/alert-channels.ts'

export interface MailServer {
  /** `smtp://` or `smtps://`, with user and password if it needs them. */
  readonly url: string
  readonly from: string
}

const TIMEOUT_MS = 20_000

/** Sends mail through an SMTP server. Reasons never quote the library, whose messages may hold the server's address. */
export function createMailSender({ url, from }: MailServer): SendMail {
  let opened: ReturnType<typeof openTransport> | null = null
  return async ({ to, subject, text }) => {
    try {
      opened ??= openTransport(url)
      const transport = await opened
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
      return null
    } catch (error) {
      return describe(error)
    }
  }
}

/** The library is loaded with the first mail: most gateways send none, and it takes memory. */
async function openTransport(url: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // What is sent is our own text: nothing in it may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function describe(error: unknown): string {
  const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : Number.NaN
  if (Number.isInteger(code)) return `The mail server answered ${code}.`
  const name = error instanceof Error && 'code' in error ? String(error.code) : ''
  return name === 'EAUTH'
    ? 'The mail server refused the user or password.'
    : 'The mail server could not be reached.'
}
