# rule: one-tile: tiles of 32 x 32
A = rand(400, 400);
begin B = A + A'; end
:why B
