/** An enum field that carries its `*_UNSPECIFIED` value says the same as one that is absent. */
export function specified<Value extends string>(
  value: Value | undefined,
): Exclude<Value, `${string}_UNSPECIFIED`> | undefined {
  return value === undefined || !isSpecified(value) ? undefined : value
}

function isSpecified<Value extends string>(value: Value): value is Exclude<Value, `${string}_UNSPECIFIED`> {
  return !value.endsWith('_UNSPECIFIED')
}
