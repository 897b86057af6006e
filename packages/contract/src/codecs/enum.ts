/** An enum field with its `*_UNSPECIFIED` value means the same as an absent one. */
export function specified<Value extends string>(
  value: Value | undefined,
): Exclude<Value, `${string}_UNSPECIFIED`> | undefined {
  return value === undefined || !isSpecified(value) ? undefined : value
}

function isSpecified<Value extends string>(value: Value): value is Exclude<Value, `${string}_UNSPECIFIED`> {
  return !value.endsWith('_UNSPECIFIED')
}
