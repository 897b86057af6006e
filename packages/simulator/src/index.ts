export { inlineScript } from './script/inline-script.ts'
export type { LoggedRequest } from './request-log.ts'
export type { SimulatorCall, SimulatorStep, TokenUsage } from './script/script.ts'
export { startSimulator, type Simulator, type SimulatorOptions } from './simulator.ts'
