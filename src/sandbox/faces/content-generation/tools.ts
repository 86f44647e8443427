import type { Tool, ToolChoice } from '../../performance/ask.ts'
import { type FunctionDeclaration, type GenerateRequest, refuse } from './schema.ts'
import { readSchema } from './schema-keywords.ts'

/** The tools the model may use: the declared ones, or those of them that the caller allows. */
export function decodeTools({ tools, toolConfig }: GenerateRequest): readonly Tool[] {
  const declared = (tools ?? []).flatMap((tool, index) =>
    (tool.functionDeclarations ?? []).map((declaration, position) =>
      decodeTool(declaration, `tools[${index}].function_declarations[${position}]`),
    ),
  )
  const allowed = new Set(toolConfig?.functionCallingConfig?.allowedFunctionNames)
  return allowed.size === 0 ? declared : declared.filter(({ name }) => allowed.has(name))
}

function decodeTool(declaration: FunctionDeclaration, place: string): Tool {
  const { name, parameters, parametersJsonSchema } = declaration
  if (parameters !== undefined && parametersJsonSchema !== undefined)
    throw refuse(`${place}: only one of parameters and parameters_json_schema can be set.`, place)
  const schema =
    parametersJsonSchema === undefined
      ? readSchema(parameters ?? { type: 'object' }, 'open-api', `${place}.parameters`)
      : readSchema(parametersJsonSchema, 'json-schema', `${place}.parameters_json_schema`)
  return { name, input: { type: 'json', schema } }
}

export function decodeToolChoice({ toolConfig, tools }: GenerateRequest): ToolChoice {
  const config = toolConfig?.functionCallingConfig
  const names = config?.allowedFunctionNames ?? []
  const mode = config?.mode ?? 'AUTO'
  const place = 'tool_config.function_calling_config'
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw refuse('Allowed function names are only valid when the mode is ANY or VALIDATED.', place)
  if (mode === 'NONE') return { type: 'none' }
  if (mode !== 'ANY') return { type: 'auto' }
  if ((tools ?? []).every((tool) => (tool.functionDeclarations ?? []).length === 0))
    throw refuse('Function calling mode is ANY but no function declarations are provided.', place)
  return names.length === 1 && names[0] !== undefined
    ? { type: 'named', name: names[0] }
    : { type: 'required' }
}
