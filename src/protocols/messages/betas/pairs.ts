/**
 * What a beta feature adds to the body of a request. A feature is asked for twice, in the header and in the body, and
 * suppliers refuse one half without the other ("Extra inputs are not permitted").
 */
export interface BodyHalf {
  /** Members of the body, as paths. */
  readonly members?: readonly string[]
  /** Members that belong to the feature only when they hold this text. */
  readonly valued?: Readonly<Record<string, string>>
  /** How the `type` of its tools begins. */
  readonly tools?: readonly string[]
  /** Members of any tool. */
  readonly toolMembers?: readonly string[]
  /** Members of any message. */
  readonly messageMembers?: readonly string[]
  /** Members of any cache mark. */
  readonly cacheMembers?: readonly string[]
  /** The `type` of its content blocks. */
  readonly blocks?: readonly string[]
  /** The names of its calls that the supplier makes itself. */
  readonly calls?: readonly string[]
  /** Messages of the role system in the middle of a conversation, which become messages of the user. */
  readonly systemTurns?: true
  /** Content that a request is about: without it the request is refused. Block types, and `file` for stored files. */
  readonly matter?: readonly string[]
}

/** By the name of the feature without its date: a newer version of a feature asks for the same things. */
export const BODY_HALVES: Readonly<Record<string, BodyHalf>> = {
  'advanced-tool-use': {
    toolMembers: ['defer_loading', 'input_examples', 'allowed_callers'],
    tools: ['tool_search_tool_'],
    blocks: ['tool_reference', 'tool_search_tool_result'],
    calls: ['tool_search_tool_regex', 'tool_search_tool_bm25'],
  },
  'advisor-tool': { tools: ['advisor_'], blocks: ['advisor_tool_result'], calls: ['advisor'] },
  compact: {
    members: ['compaction'],
    valued: { context_management: '"compact_' },
    matter: ['compaction'],
  },
  'computer-use': { tools: ['computer_2024', 'computer_2025', 'bash_2024', 'text_editor_2024'] },
  'context-management': { members: ['context_management'] },
  'fallback-credit': { members: ['fallback_credit_token'] },
  'fast-mode': { members: ['speed'] },
  'files-api': { matter: ['file', 'container_upload'] },
  'inline-tools': { blocks: ['tool_addition', 'tool_removal'] },
  'mcp-client': {
    members: ['mcp_servers'],
    tools: ['mcp_toolset'],
    blocks: ['mcp_tool_use', 'mcp_tool_result', 'mcp_tool_listing'],
  },
  'message-threads': { members: ['thread'] },
  'mid-conversation-output-config': { messageMembers: ['output_config'] },
  'mid-conversation-system': { systemTurns: true },
  'mid-conversation-system-clear-at': { messageMembers: ['clear_at'] },
  'mid-conversation-tool-changes': { blocks: ['tool_addition', 'tool_removal'] },
  'per-turn-control': { messageMembers: ['output_config'] },
  'prompt-caching-scope': { cacheMembers: ['scope'] },
  'server-side-fallback': { members: ['fallbacks'], blocks: ['fallback'] },
  skills: { members: ['container.skills'] },
  'structured-outputs': { members: ['output_format'] },
  'task-budgets': { members: ['output_config.task_budget'] },
  'thinking-binding-controls': { members: ['thinking.block_binding'] },
  'thinking-display-updates': { valued: { 'thinking.display': '"updates"' } },
  'tool-examples': { toolMembers: ['input_examples'] },
  'tool-search-tool': {
    toolMembers: ['defer_loading'],
    tools: ['tool_search_tool_'],
    blocks: ['tool_reference', 'tool_search_tool_result'],
    calls: ['tool_search_tool_regex', 'tool_search_tool_bm25'],
  },
}

/** Features that stand in the header only, and those that need no header any more. Without them, nothing is lost. */
export const WITHOUT_BODY: ReadonlySet<string> = new Set([
  'afk-mode',
  'cache-diagnosis',
  'claude-code',
  'code-execution',
  'context-1m',
  'effort',
  'extended-cache-ttl',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'model-context-window-exceeded',
  'output-128k',
  'output-300k',
  'pdfs',
  'prompt-caching',
  'redact-thinking',
  'thinking-token-count',
  'token-counting',
  'token-efficient-tools',
  'web-fetch',
  'web-search',
])

/** Members that the format has without any beta, beside those that the gateway reads. */
export const GENERAL_MEMBERS: readonly string[] = [
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'service_tier',
  'speed',
]

const DATE = /-\d{4}-?\d{2}-?\d{2}$/

/** The name of a feature without the date of its version. */
export function featureOf(beta: string): string {
  return beta.replace(DATE, '')
}
