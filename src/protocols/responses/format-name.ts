/** This format's name, under which it marks what only it understands. */
export const FORMAT = 'responses'
