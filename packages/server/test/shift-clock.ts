/** Loaded before a server: its wall clock is off by this much, as on a machine without time synchronization. */
const shiftMs = Number(process.env['SHIFT_CLOCK_MS'])
const RealDate = Date

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + shiftMs] : args, newTarget) as Date,
  get: (target, property, receiver) =>
    property === 'now'
      ? () => RealDate.now() + shiftMs
      : (Reflect.get(target, property, receiver) as unknown),
})
