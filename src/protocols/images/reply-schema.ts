import Type from 'typebox'

const Count = Type.Integer({ minimum: 0 })

/** An image reply, for the API document. */
export const ImageReplySchema = Type.Object({
  created: Type.Integer({ description: 'Seconds since 1970.' }),
  data: Type.Array(
    Type.Object({
      url: Type.Optional(Type.String({ description: 'An address of this gateway that works for a while.' })),
      b64_json: Type.Optional(Type.String({ description: 'The picture in Base64, when asked for.' })),
      revised_prompt: Type.Optional(Type.String({ description: 'The prompt as the model understood it.' })),
    }),
  ),
  usage: Type.Optional(Type.Object({ input_tokens: Count, output_tokens: Count, total_tokens: Count })),
})
