import type { ParameterRules } from '../translation.ts'

export const MESSAGES_PARAMETERS: ParameterRules = {
  strippable: new Set([
    'temperature',
    'top_p',
    'top_k',
    'thinking',
    'thinking.display',
    'output_config.effort',
    'output_config.task_budget',
    'context_management',
    'cache_control',
    'metadata',
    'service_tier',
    'speed',
    'inference_geo',
  ]),
  respelled: {},
}
