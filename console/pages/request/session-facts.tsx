import type { Settlement } from '../../api/wire.ts'
import type { Fact } from '../../parts/layout/panel.tsx'
import { TextLink } from '../../parts/text/links.tsx'

/** The page that lists requests, with the filters it needs. */
interface RequestList {
  readonly to: '/requests' | '/operator/settlements'
  readonly search: Readonly<Record<string, string>>
}

/** The session and the agent that the client named, with links to all of their requests. */
export function sessionFacts({ session, agent, parent_agent }: Settlement, list: RequestList): Fact[] {
  const search = session === null ? list.search : { ...list.search, session }
  const facts: Fact[] = []
  if (session !== null) {
    const value = <Named id={session} link="All requests of this session" list={{ ...list, search }} />
    facts.push({ label: 'Session', value })
  }
  if (agent !== null) {
    const ofAgent = { ...list, search: { ...search, agent } }
    facts.push({
      label: 'Agent',
      value: <Named id={agent} link="All requests of this agent" list={ofAgent} />,
    })
  }
  if (parent_agent !== null) {
    facts.push({ label: 'Started by agent', value: <span className="mono">{parent_agent}</span> })
  }
  return facts
}

interface NamedProps {
  readonly id: string
  readonly link: string
  readonly list: RequestList
}

function Named({ id, link, list: { to, search } }: NamedProps) {
  return (
    <>
      <div className="mono">{id}</div>
      <TextLink size="sm" to={to} search={search}>
        {link}
      </TextLink>
    </>
  )
}
