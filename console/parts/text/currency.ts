/** What people call the currency, as the gateway's settings say. It is in the page, so that every module has it at once. */
export const CURRENCY = readCurrency()

function readCurrency(): string {
  const meta = globalThis.document?.querySelector<HTMLMetaElement>('meta[name=currency]')
  return meta?.content || 'USDT'
}
