import Type from 'typebox'

const Count = Type.Integer({ minimum: 0 })

/** An image reply, for the API document. */
export const ImageReplySchema = Type.Object({
  created: Type.Integer({ description: 'Unix time in seconds.' }),
  data: Type.Array(
    Type.Object({
      url: Type.Optional(Type.String({ description: 'A temporary URL on this gateway.' })),
      b64_json: Type.Optional(Type.String({ description: 'The image in Base64, if requested.' })),
      revised_prompt: Type.Optional(Type.String({ description: 'The prompt as the model understood it.' })),
    }),
  ),
  usage: Type.Optional(Type.Object({ input_tokens: Count, output_tokens: Count, total_tokens: Count })),
})
