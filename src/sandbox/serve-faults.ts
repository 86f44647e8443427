import { type FaultControl, FaultRuleError, parseRule } from './faults.ts'

/** The fault rules over HTTP. No key is asked for: only this machine can reach the sandbox. */
export async function serveFaults(request: Request, faults: FaultControl): Promise<Response> {
  switch (request.method) {
    case 'GET':
      return Response.json(faults.list())
    case 'PUT':
      return replaceRules(request, faults)
    case 'DELETE':
      faults.clear()
      return new Response(null, { status: 204 })
    default:
      return new Response(null, { status: 405, headers: { allow: 'GET, PUT, DELETE' } })
  }
}

async function replaceRules(request: Request, faults: FaultControl): Promise<Response> {
  try {
    const body: unknown = await request.json()
    if (!Array.isArray(body)) throw new FaultRuleError('the body must be a list of rules')
    const rules = body.map(parseRule)
    faults.clear()
    for (const rule of rules) faults.set(rule)
    return Response.json(faults.list())
  } catch (error) {
    const message = error instanceof FaultRuleError ? error.message : 'the body must be JSON'
    return Response.json({ error: { message } }, { status: 400 })
  }
}
