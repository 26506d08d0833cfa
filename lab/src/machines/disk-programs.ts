/*
 * Programs for PCs as they are when their firmware has started them: 16 bits, loaded at 7c00, with the firmware's own
 * calls for screen and disk. A line for each instruction: its bytes, then what it says.
 */

/** The bytes of a listing. */
const assembled = (listing: string): Buffer =>
  Buffer.from(listing.replaceAll(/;.*$/gm, '').replaceAll(/\s/g, ''), 'hex');

export const sectorBytes = 512;

const sayText = assembled(`
  31c0        ; xor ax, ax
  8ed8        ; mov ds, ax
  be187c      ; mov si, 7c18    the text, after this program
  ac          ; lodsb           next:
  84c0        ; test al, al
  7409        ; jz end
  b40e        ; mov ah, 0e
  bb0700      ; mov bx, 7
  cd10        ; int 10          writes a character
  ebf2        ; jmp next
  f4          ; hlt             end:
  ebfd        ; jmp end
`);

/** What a disk begins with whose machine says this text, and nothing else, when it boots from it. */
export const bootSectorThatSays = (text: string): Buffer => {
  const program = Buffer.concat([sayText, Buffer.from(`${text}\r\n\0`, 'latin1')]);
  if (program.length > sectorBytes - 2) throw new Error('the text is too long for one sector');
  return Buffer.concat([program, Buffer.alloc(sectorBytes - 2 - program.length), Buffer.from('55aa', 'hex')]);
};

/**
 * For iPXE (`imgexec`), which calls it: writes zeros over the whole first disk, 32 KiB at a time, and reads each back. It
 * succeeds if all of them are zeros. On a busy computer each order to the disk of a machine takes long, so there are few.
 */
export const wipeProgram = assembled(`
  fc                  ; cld
  1e                  ; push ds
  06                  ; push es
  0e                  ; push cs
  1f                  ; pop ds
  be007e              ; mov si, 7e00             orders for the disk, after this program
  c7041a00            ; mov word [si], 1a
  b280                ; mov dl, 80               the first disk
  b448                ; mov ah, 48
  cd13                ; int 13                   how many sectors has it?
  725a                ; jc failed
  668b7c10            ; mov edi, [si+10]
  66c70410004000      ; mov dword [si], 400010   64 sectors
  66c7440400000010    ; mov dword [si+4], 10000000    from or to 1000:0000
  66c7440800000000    ; mov dword [si+8], 0      from the first sector on
  66c7440c00000000    ; mov dword [si+c], 0
  b80010              ; mov ax, 1000             next:
  8ec0                ; mov es, ax
  e83500              ; call clear
  b80043              ; mov ax, 4300
  cd13                ; int 13                   writes
  7228                ; jc failed
  26c606000001        ; mov byte es:[0], 1       if nothing is read, it shows
  b442                ; mov ah, 42
  cd13                ; int 13                   reads
  721c                ; jc failed
  57                  ; push di
  31ff                ; xor di, di
  31c0                ; xor ax, ax
  b90040              ; mov cx, 4000
  f3af                ; repe scasw               all zeros?
  5f                  ; pop di
  750f                ; jne failed
  6683440840          ; add dword [si+8], 40
  66397c08            ; cmp [si+8], edi
  72cd                ; jb next
  31c0                ; xor ax, ax
  eb03                ; jmp over
  b80100              ; mov ax, 1                failed:
  07                  ; pop es                   over:
  1f                  ; pop ds
  cb                  ; retf
  57                  ; push di                  clear:
  31ff                ; xor di, di
  31c0                ; xor ax, ax
  b90040              ; mov cx, 4000
  f3ab                ; rep stosw
  5f                  ; pop di
  c3                  ; ret
`);
