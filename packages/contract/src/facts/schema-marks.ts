/** In a published schema: marks a string as the name of another resource. The value is the kind. */
export const REFERENCE = 'x-skein-reference'
