// What the pages use of qrcode.js.
export interface Code {
  addData(text: string): void;
  make(): void;
  getModuleCount(): number;
  isDark(row: number, column: number): boolean;
}
export function qrcode(version: number, correction: 'L' | 'M' | 'Q' | 'H'): Code;
